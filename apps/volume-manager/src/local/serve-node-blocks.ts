import { AppError } from '@lateen/errors';
import { type Service, serveTcp } from '@lateen/grpc';
import { type Clock, type Logger, type Random, retry, unlessAborted } from '@lateen/kernel';
import { certificateFilesIn } from '@lateen/volume-controllers/certificate';

interface Base {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where a node is asked for blocks, and the folder with the certificate that both sides show. */
export interface BlocksPlace {
  readonly port: number;
  readonly certificates: string;
  /** Default: all addresses. */
  readonly host?: string;
}

/** The certificate is made after this pod has started: kubelet mounts it within two minutes. */
const backoff = { firstMs: 1_000, maxMs: 10_000, factor: 2, jitter: 0.2 };

/** Running answers get this long after the signal; the client continues later from where the answer ended. */
const graceMs = 5_000;

/**
 * Serves the blocks of this node's snapshots to who shows the certificate, until `signal` aborts. Waits for the certificate; volumes do not depend on it.
 * @throws AppError `LISTEN_FAILED`
 */
export async function serveNodeBlocks(
  { port, certificates, host = '0.0.0.0' }: BlocksPlace,
  service: Service,
  { log, ...base }: Base,
  signal: AbortSignal,
): Promise<void> {
  const tls = certificateFilesIn(certificates);
  let isTold = false;
  const policy = {
    backoff,
    mayRetry: (error: unknown) => error instanceof AppError && error.code === 'TLS_FILES',
    onRetry: ({ error }: { error: unknown }) => {
      if (!isTold) log.info({ err: error }, 'blocks of snapshots are told to nobody yet: the certificate is not there');
      isTold = true;
    },
  };
  const listen = () => serveTcp({ host, port, tls }, [service], base.clock);
  const server = await unlessAborted(retry(base, policy, listen, signal), signal);
  if (server === undefined) return;
  log.info({ port: server.port }, 'block lists of snapshots are served to holders of the certificate');
  await unlessAborted(new Promise<never>(() => {}), signal);
  await server.stop(graceMs);
}
