package search_test
import ("testing";"fmt";"time";"os";"runtime"
"github.com/mpcvm/mpcvm/data";"github.com/mpcvm/mpcvm/mpcvm";"github.com/mpcvm/mpcvm/mpcvm/search";"github.com/mpcvm/mpcvm/mpcvm/score")
func TestLet(t *testing.T){
 set,err:=data.Load("letter"); if err!=nil{t.Fatal(err)}
 var a,b []int; for i:=0;i<20000;i++ { if i<16000 {a=append(a,i)} else {b=append(b,i)} }
 train,test:=set.Subset(a),set.Subset(b)
 sc:=data.FitStandardizer(train.X)
 start:=time.Now(); last:=start
 m,res,err:=search.Auto{OnTrial:func(tr mpcvm.Trial){fmt.Printf("%-36s %-28v loss %.4f err %.2f T %.2f w %d  %.2fs (n=%d)\n",tr.Learner,tr.Kernel,tr.LogLoss,100*tr.ErrorRate,tr.Temperature,tr.Weights,tr.Seconds,tr.Samples)},
 OnProgress:func(p search.Progress){ if time.Since(last)>5*time.Second {last=time.Now(); fmt.Println(p.Step,p)} }}.Fit(t.Context(),sc.Apply(nil,train.X),train.T)
 if err!=nil{t.Fatal(err)}
 sec:=time.Since(start).Seconds()
 pr:=m.Proba(nil,sc.Apply(nil,test.X))
 ll,_:=score.LogLoss(pr,test.T)
 var ms runtime.MemStats; runtime.ReadMemStats(&ms)
 fmt.Println("letter",res.Status,"sec",sec,"err",100*score.ErrorRate(m.Predict(nil,sc.Apply(nil,test.X)),test.T),"ll",ll,"w",m.WeightCount(),"MiB",ms.Sys>>20)
 _=os.Args
}
