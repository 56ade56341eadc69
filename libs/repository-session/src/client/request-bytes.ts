import { framed } from '@lateen/grpc';
import { SessionRequest, WriteContentRequest } from '../generated/repository-server.ts';

/** Field 13 of a request, field 2 of it: tags of protobuf for fields with a length. */
const writeContentTag = (13 << 3) | 2;
const dataTag = (2 << 3) | 2;

/**
 * A request as it is sent, in parts one after the other. The bytes of a content are the last part, as they were given: the generated
 * encoder copies them three times, and each copy is more memory for the garbage collector than work to send. Fields may come in any order.
 */
export function requestParts(message: SessionRequest): [Buffer, Buffer?] {
  const { request } = message;
  if (request?.$case !== 'writeContent') return [framed(SessionRequest.encode(message).finish())];
  const { data } = request.value;
  const fields = WriteContentRequest.encode({ ...request.value, data: Buffer.alloc(0) });
  const inner = fields.uint32(dataTag).uint32(data.length).finish();
  const outer = SessionRequest.encode({ ...message, request: undefined });
  const head = outer
    .uint32(writeContentTag)
    .uint32(inner.length + data.length)
    .raw(inner)
    .finish();
  return [framed(head, data.length), data];
}
