import { Server, type ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import type { Service } from './service.ts';

/** Bounds of a server. */
export interface ServeLimits {
  /** Longest request; a longer one is answered RESOURCE_EXHAUSTED. Default 4 MiB, as gRPC has it everywhere. */
  requestBytesMax?: number;
}

/** A server of these services on a grpc-js address. @throws AppError `LISTEN_FAILED`, which names `place`. */
export async function listen(
  address: string,
  place: string,
  credentials: ServerCredentials,
  services: readonly Service[],
  { requestBytesMax }: ServeLimits = {},
): Promise<{ server: Server; port: number }> {
  const server = new Server(
    requestBytesMax === undefined ? {} : { 'grpc.max_receive_message_length': requestBytesMax },
  );
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(new AppError('LISTEN_FAILED', `cannot listen on ${place}`, { cause: error }));
    });
  });
  return { server, port };
}
