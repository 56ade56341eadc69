import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionRequest } from '../generated/repository-server.ts';
import { requestBytes } from './request-bytes.ts';

it('contents are sent as the generated decoder reads them', () => {
  const content = fc.record({
    prefix: fc.constantFrom('', 'k', 'x'),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    compression: fc.constantFrom(0, 0x1101),
  });
  fc.assert(
    fc.property(content, fc.bigInt({ min: 0n, max: 2n ** 62n }), (value, requestId) => {
      const message: SessionRequest = { requestId, request: { $case: 'writeContent', value } };
      expect(SessionRequest.decode(requestBytes(message))).toEqual(message);
    }),
  );
});

it('all other requests are those of the generated encoder', () => {
  const message: SessionRequest = { requestId: 7n, request: { $case: 'getManifest', value: { manifestId: 'm' } } };
  expect(requestBytes(message)).toEqual(Buffer.from(SessionRequest.encode(message).finish()));
});
