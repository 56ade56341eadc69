import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageReader } from './message-reader.ts';
import { sessionLimits } from './session-limits.ts';

const framed = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

it('messages come as they were sent, however the bytes are cut', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map(framed));
      const reader = new MessageReader();
      const come: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const length = cuts[turn % cuts.length] ?? 1;
        reader.add(bytes.subarray(at, at + length));
        at += length;
        for (let one = reader.next(); one !== undefined; one = reader.next()) come.push(one);
      }
      expect(come.map((one) => [...one])).toEqual(sent.map((one) => [...one]));
    }),
  );
});

it('a message that is compressed or too long is refused before it is there', () => {
  const reader = (...head: number[]) => {
    const one = new MessageReader();
    one.add(Buffer.from(head));
    return one;
  };
  expect(() => reader(1, 0, 0, 0, 1).next()).toThrow('compressed');
  const long = Buffer.alloc(5);
  long.writeUInt32BE(sessionLimits.messageBytesMax + 1, 1);
  expect(() => reader(...long).next()).toThrow('bytes');
});
