import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionRequest } from '../generated/repository-server.ts';
import { requestParts } from './request-bytes.ts';

/** The message in a frame of gRPC that is as long as it says. */
function messageIn(parts: readonly (Buffer | undefined)[]): SessionRequest {
  const frame = Buffer.concat(parts.filter((part) => part !== undefined));
  expect([frame[0], frame.readUInt32BE(1)]).toEqual([0, frame.length - 5]);
  return SessionRequest.decode(frame.subarray(5));
}

it('contents are sent as the generated decoder reads them, and their bytes are not copied', () => {
  const content = fc.record({
    prefix: fc.constantFrom('', 'k', 'x'),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    compression: fc.constantFrom(0, 0x1101),
  });
  fc.assert(
    fc.property(content, fc.bigInt({ min: 0n, max: 2n ** 62n }), (value, requestId) => {
      const message: SessionRequest = { requestId, request: { $case: 'writeContent', value } };
      const parts = requestParts(message);
      expect(parts[1]).toBe(value.data);
      expect(messageIn(parts)).toEqual(message);
    }),
  );
});

it('all other requests are those of the generated encoder', () => {
  const message: SessionRequest = { requestId: 7n, request: { $case: 'getManifest', value: { manifestId: 'm' } } };
  expect(messageIn(requestParts(message))).toEqual(message);
});
