// The language server and the debug adapter, called message by message.
import { instantiate } from "./wasi.mjs";
import { input, output } from "./memory.mjs";
export { memoryDisk } from "./memory.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/// The bodies of messages that each begin with a header.
function bodiesOf(out) {
  const bodies = [];
  for (let at = 0; at < out.length;) {
    let end = at;
    while (out[end] !== 13 || out[end + 1] !== 10 || out[end + 2] !== 13) ++end;
    const size = Number(/Content-Length: *(\d+)/i.exec(decoder.decode(out.subarray(at, end)))[1]);
    at = end + 4 + size;
    bodies.push(decoder.decode(out.subarray(end + 4, at)));
  }
  return bodies;
}

class Peer {
  /// `call` is the function of the program that takes a message.
  constructor(module, call, { disk = { stat: () => 44, open: () => 44 }, env } = {}) {
    this.out = output();
    this.call = call;
    this.exports = instantiate(module, { env, disk, streams: [input(new Uint8Array()), this.out, output()] });
  }
  /// Takes a message as text and gives what it is answered with, as texts.
  send(message) {
    const body = encoder.encode(message),
      at = this.exports.room(body.length);
    new Uint8Array(this.exports.memory.buffer, at, body.length).set(body);
    this.exports[this.call](at, body.length);
    return bodiesOf(this.out.take());
  }
}

export class Server extends Peer {
  constructor(module, options) {
    super(module, "message", options);
  }
}

/// One launch of a kernel, halted where the requests of the Debug Adapter Protocol say.
export class DebugAdapter extends Peer {
  constructor(module, options) {
    super(module, "request", options);
    this.number = 0;
  }
  /// Gives the body of the response, and what the adapter said besides: {success, message, body, events}.
  request(command, args = {}) {
    const message = JSON.stringify({ seq: ++this.number, type: "request", command, arguments: args });
    const said = this.send(message).map((text) => JSON.parse(text));
    const { success, message: why, body } = said.find((one) => one.type === "response");
    return { success, message: why, body, events: said.filter((one) => one.type === "event") };
  }
}
