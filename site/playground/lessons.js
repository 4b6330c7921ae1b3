export class Lessons { constructor(x){this.work=null} resume(){} }
