// Further workers that make the same fit as the first one and share its folds with it; see internal/share.

/** @typedef {import("../sandbox.js").SandboxWorker} Worker */
/** @typedef {{key: string, bytes: Uint8Array | null}} Share a result of one worker for the others; without a key it has left them */

/** The most workers for the five folds of a fit. */
const most = 5;

/** Replicas are the workers of one fit besides the first one. */
export class Replicas {
  /**
   * @param {Worker} leader the first worker, which hears through hear what it sends
   * @param {() => Worker} start starts another worker
   * @param {number} [cores] how many workers may run
   */
  constructor(leader, start, cores = navigator.hardwareConcurrency || 1) {
    this.size = Math.max(1, Math.min(cores, most));
    this.leader = leader;
    this.others = Array.from({ length: this.size - 1 }, start);
  }

  /** run gives the others their requests: to look at the table, and to fit. @param {Record<string, any>[]} requests */
  run(requests) {
    this.others.forEach((worker, i) => {
      worker.onmessage = ({ data }) => data.share ? this.hear(worker, data.share) : (data.id === undefined || data.reply?.error) && this.lose();
      worker.onerror = () => this.lose();
      requests.forEach((request, id) => worker.postMessage({ id, ...request, rank: i + 1, size: this.size }));
    });
  }

  /** hear passes on what a worker sends. @param {Worker} from @param {Share} share */
  hear(from, share) {
    if (!share.key) {
      return from === this.leader ? this.end() : this.lose();
    }
    for (const worker of [this.leader, ...this.others]) {
      worker !== from && worker.postMessage({ share });
    }
  }

  /** lose makes the leader go on alone, as another worker has ended. */
  lose() {
    if (this.others.length) {
      this.end();
      this.leader.postMessage({ share: { key: "", bytes: null } });
    }
  }

  /** end ends the other workers. */
  end() {
    this.others.splice(0).forEach(worker => worker.terminate());
  }
}
