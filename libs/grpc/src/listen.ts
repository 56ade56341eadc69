import { Server, type ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import type { Service } from './service.ts';

/** A server of these services on a grpc-js address. @throws AppError `LISTEN_FAILED`, which names `place`. */
export async function listen(
  address: string,
  place: string,
  credentials: ServerCredentials,
  services: readonly Service[],
): Promise<{ server: Server; port: number }> {
  const server = new Server();
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(new AppError('LISTEN_FAILED', `cannot listen on ${place}`, { cause: error }));
    });
  });
  return { server, port };
}
