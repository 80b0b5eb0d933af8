// Runs before all else: a worker unpacks and compiles the program while the rest of the page is still read.
import workerText from "worker-text";

performance.mark("start");
const address = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));

/// A worker of a program: a string of page.py, bytes, or what is compiled already.
globalThis.ptxrayWorker = (program) => {
  const worker = new Worker(address);
  worker.early = []; // what it says before somebody listens
  worker.onmessage = ({ data }) => worker.early.push(data);
  worker.postMessage({ program });
  return worker;
};
globalThis.ptxrayFirst = globalThis.ptxrayWorker(globalThis.ptxrayPage);
