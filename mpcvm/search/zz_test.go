package search
import ("testing";"context";"fmt";"time";"os";"strings";"strconv";"sort"
"github.com/mpcvm/mpcvm/data";"github.com/mpcvm/mpcvm/mpcvm";"github.com/mpcvm/mpcvm/mpcvm/internal/fitting";"github.com/mpcvm/mpcvm/mpcvm/score")
func TestZZ(t *testing.T){
 span:=strings.Split(os.Getenv("ZPARTS"),"-"); lo,_:=strconv.Atoi(span[0]); hi,_:=strconv.Atoi(span[1])
 for _,name:=range strings.Fields(os.Getenv("ZSETS")) {
 set,err:=data.Load(name); if err!=nil{t.Fatal(err)}
 parts,err:=data.Partitions(name); if err!=nil{t.Fatal(err)}
 for p:=lo;p<=hi;p++ {
 train,test:=set.Subset(parts[p]),set.Subset(set.Complement(parts[p]))
 train,test=prep(train,test)
 start:=time.Now()

 d,err:=fitting.New(train.X,train.T); if err!=nil{t.Fatal(err)}
 s:=newState(Auto{OnTrial:func(tr mpcvm.Trial){ if os.Getenv("ZV")!="" {fmt.Printf("%-36s %-28v loss %.4f err %.2f T %.2f w %d  %.2fs (n=%d)\n",tr.Learner,tr.Kernel,tr.LogLoss,100*tr.ErrorRate,tr.Temperature,tr.Weights,tr.Seconds,tr.Samples)}}},d,start)
 if _,err:=s.run(context.Background()); err!=nil {t.Fatal(err)}
 sec:=time.Since(start).Seconds()
 for _,k:=range []float64{-1,0,.25,.5,1,2} {
 chosen:=s.best
 for _,c:=range s.able { if k<0 { if c.kind==dense&&(chosen.kind!=dense||c.logLoss<chosen.logLoss) {chosen=c} } else if c.weights<chosen.weights && !s.best.beats(c,k) { chosen=c } }
 t0:=time.Now()
 m,_,err:=chosen.learner(chosen.kernel,s.options(0)).Fit(context.Background(),train.X,train.T)
 if err!=nil{t.Fatal(err)}
 m=m.WithTemperature(chosen.temperature)
 pr:=m.Proba(nil,test.X)
 ll,_:=score.LogLoss(pr,test.T); auc,_:=score.AUC(pr,test.T)
 fmt.Printf("R %s %d k%g sec %.2f+%.2f trials %d err %.4f ll %.4f auc %.4f w %d | %s %v cv %.4f T %.2f\n",name,p,k,sec,time.Since(t0).Seconds(),len(s.trials),score.ErrorRate(m.Predict(nil,test.X),test.T),ll,auc,m.WeightCount(),chosen.name,chosen.kernel,chosen.logLoss,chosen.temperature)
 }
 } }
}
func prep(a,b *data.Set)(*data.Set,*data.Set){
 if a.Name=="heart" { _,D:=a.X.Dims(); for j:=0;j<D;j++ { var v []float64; for n:=0;n<a.N();n++ { if a.X.At(n,j)!= -9 {v=append(v,a.X.At(n,j))} }
  sort.Float64s(v); med:=0.0; if len(v)>0 { med=(v[(len(v)-1)/2]+v[len(v)/2])/2 }
  for _,m:=range []*data.Set{a,b} { for n:=0;n<m.N();n++ { if m.X.At(n,j)== -9 { m.X.Set(n,j,med) } } } } }
 sc:=data.FitStandardizer(a.X); a.X=sc.Apply(nil,a.X); b.X=sc.Apply(nil,b.X); return a,b
}
