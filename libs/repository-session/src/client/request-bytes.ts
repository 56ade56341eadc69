import { SessionRequest, WriteContentRequest } from '../generated/repository-server.ts';

/** Field 13 of a request, field 2 of it: tags of protobuf for fields with a length. */
const writeContentTag = (13 << 3) | 2;
const dataTag = (2 << 3) | 2;

/**
 * A request as protobuf. The generated encoder copies the bytes of a content three times, which takes longer than to send them; here they are
 * copied once. Fields may come in any order, so the bytes come last.
 */
export function requestBytes(message: SessionRequest): Buffer {
  const { request } = message;
  if (request?.$case !== 'writeContent') return Buffer.from(SessionRequest.encode(message).finish());
  const { data } = request.value;
  const fields = WriteContentRequest.encode({ ...request.value, data: Buffer.alloc(0) });
  const inner = fields.uint32(dataTag).uint32(data.length).finish();
  const outer = SessionRequest.encode({ ...message, request: undefined });
  const head = outer
    .uint32(writeContentTag)
    .uint32(inner.length + data.length)
    .raw(inner)
    .finish();
  return Buffer.concat([head, data]);
}
