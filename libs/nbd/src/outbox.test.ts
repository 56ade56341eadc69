import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

/** A socket that records its output, one entry per system call. */
class RecordingSocket extends Socket {
  readonly calls: string[] = [];
  override _write(bytes: Buffer, _: string, done: () => void): void {
    this.calls.push(bytes.toString());
    done();
  }
  override _writev(pieces: { chunk: Buffer }[], done: () => void): void {
    this.calls.push(Buffer.concat(pieces.map(({ chunk }) => chunk)).toString());
    done();
  }
}

it('sends all data of one turn of the event loop in one call', async () => {
  const socket = new RecordingSocket();
  const outbox = new Outbox(socket);
  const left: string[] = [];
  outbox.send(Buffer.from('a'), [Buffer.from('1'), Buffer.alloc(0), Buffer.from('2')], () => left.push('a'));
  await Promise.resolve();
  outbox.send(Buffer.from('b'), [], () => left.push('b'));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  outbox.send(Buffer.from('c'));
  expect(socket.calls).toEqual([]);
  await turn();
  expect(socket.calls).toEqual(['a12bc']);
  expect(left).toEqual(['a', 'b']);
  outbox.send(Buffer.from('d'));
  await turn();
  expect(socket.calls).toEqual(['a12bc', 'd']);
});
