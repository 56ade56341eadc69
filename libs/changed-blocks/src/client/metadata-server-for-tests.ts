import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type CallContext, makeService } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import {
  BlockMetadataType,
  type GetMetadataDeltaRequest,
  type SnapshotMetadataServer,
  SnapshotMetadataService,
} from '../generated/snapshot-metadata.ts';
import type { MetadataAnswer } from './metadata-checker.ts';

/** What both calls ask, as far as it is the same. */
export type Asked = Partial<GetMetadataDeltaRequest> & {
  snapshotName?: string;
  startingOffset: bigint;
  securityToken: string;
};

export interface TestMetadataServer extends AsyncDisposable {
  readonly port: number;
  readonly asked: Asked[];
}

/** A SnapshotMetadata service that shows this certificate; `answer` is what both calls do. */
export async function serveMetadata(
  { cert, key }: { readonly cert: string; readonly key: string },
  answer: (asked: Asked, context: CallContext) => AsyncIterable<MetadataAnswer>,
  host = '127.0.0.1',
): Promise<TestMetadataServer> {
  const asked: Asked[] = [];
  const handler = (request: Asked, context: CallContext) => {
    asked.push(request);
    return answer(request, context) as AsyncIterable<MetadataAnswer & { blockMetadata: never[] }>;
  };
  const { definition, implementation } = makeService<SnapshotMetadataServer>(
    SnapshotMetadataService,
    { getMetadataAllocated: handler, getMetadataDelta: handler },
    { log: silentLogger, clock: systemClock, stopping: new AbortController().signal },
  );
  const server = new Server();
  server.addService(definition, implementation);
  const shown = [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(`${host}:0`, ServerCredentials.createSsl(null, shown, false), (error, port) =>
    error === null ? resolve(port) : reject(error),
  );
  return { port: await promise, asked, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

export const blocks = (sizeBytes: number, ...pairs: readonly (readonly [number, number])[]): MetadataAnswer => ({
  blockMetadataType: BlockMetadataType.VARIABLE_LENGTH,
  volumeCapacityBytes: BigInt(sizeBytes),
  blockMetadata: pairs.map(([offset, length]) => ({ byteOffset: BigInt(offset), sizeBytes: BigInt(length) })),
});
