// The language server, called message by message.
import { instantiate } from "./wasi.mjs";
import { input, output } from "./memory.mjs";

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

export class Server {
  constructor(module, { disk = { stat: () => 44, open: () => 44 }, env } = {}) {
    this.out = output();
    this.exports = instantiate(module, { env, disk, streams: [input(new Uint8Array()), this.out, output()] });
  }
  /// Takes a message as text and gives what it is answered with, as texts.
  send(message) {
    const body = encoder.encode(message),
      at = this.exports.room(body.length);
    new Uint8Array(this.exports.memory.buffer, at, body.length).set(body);
    this.exports.message(at, body.length);
    return bodiesOf(this.out.take());
  }
}
