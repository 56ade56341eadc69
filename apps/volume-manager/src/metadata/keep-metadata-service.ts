import { AppError } from '@lateen/errors';
import { type Clock, type Logger, type Random, type RetryPolicy, retry, unlessAborted } from '@lateen/kernel';
import { type KubeApi, retryAfterMsOf } from '@lateen/kube';
import {
  ensureCertificate,
  type KeptCertificate,
  tlsTextsOf,
  writeCertificateFiles,
} from '@lateen/volume-controllers/certificate';
import type { MetadataPlace } from './metadata-flags.ts';
import { announceService, serviceAddress } from './metadata-service-object.ts';
import { sidecarPort, TlsFront, writeSidecarCertificate } from './tls-front.ts';

export interface MetadataPorts {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface MetadataDriver {
  readonly driver: string;
  readonly place: MetadataPlace;
  /** Where the Secret is written for this program too, which shows it to others of the driver; undefined: nowhere. */
  readonly certificateDirectory?: string;
  /** Where the sidecar listens; {@link sidecarPort} when absent. */
  readonly sidecarPort?: number;
}

/** How often Service, certificate and object are checked: a certificate is renewed weeks before it expires, and a deleted object is created again. */
const lookMs = 600_000;

/** Whatever is missing may come: the installation is still going on, or the API server is away. */
const backoff = { firstMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0.2 };

/** The Secret of a driver's front: `<service>-tls`. Programs of the driver may use it towards each other by its server name. */
export const metadataCertificate = (service: string, namespace: string, ip: string): KeptCertificate => ({
  secret: `${service}-tls`,
  serverName: service,
  dnsNames: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`],
  ipAddresses: [ip],
  labels: { 'app.kubernetes.io/part-of': 'lateen', 'app.kubernetes.io/managed-by': 'lateen-volume-manager' },
  keepsFirstKey: false,
});

/** A sidecar whose certificate is there; nothing is announced yet. */
export interface PreparedService {
  /** Takes connections and keeps certificate and SnapshotMetadataService up to date, until `signal` aborts. Never rejects before. */
  keep(ports: MetadataPorts, signal: AbortSignal): Promise<void>;
}

/** To be called before the driver's socket is served: the sidecar reads its certificate as soon as it has reached the driver. */
export async function prepareMetadataService(driver: MetadataDriver, clock: Clock): Promise<PreparedService> {
  const ca = await writeSidecarCertificate(driver.place.directory, clock);
  return { keep: (ports, signal) => keep(driver, ca, ports, signal) };
}

async function keep(driver: MetadataDriver, ca: string, ports: MetadataPorts, signal: AbortSignal): Promise<void> {
  const { clock, log } = ports;
  let front: TlsFront | undefined;
  let shown = '';
  const policy: RetryPolicy = {
    backoff,
    mayRetry: () => true,
    askedMs: retryAfterMsOf,
    onRetry: ({ error, waitMs }) =>
      log.warn(
        { err: error, driver: driver.driver, retryInMs: waitMs },
        'the SnapshotMetadataService is not as it should be',
      ),
  };
  const look = async () => {
    const { pair, announce } = await wanted(driver, ports, signal);
    if (front === undefined) {
      const sidecar = { port: driver.sidecarPort ?? sidecarPort, ca };
      front = await TlsFront.listen({ port: driver.place.port, sidecar, log }, pair);
    } else if (pair.certificate !== shown) front.show(pair);
    if (pair.certificate !== shown)
      log.info(
        { driver: driver.driver, port: front.port },
        'a certificate is shown to who asks for blocks of snapshots',
      );
    shown = pair.certificate;
    await announce();
  };
  try {
    while (!signal.aborted) {
      await unlessAborted(retry(ports, policy, look, signal), signal);
      await unlessAborted(clock.sleep(lookMs, signal), signal);
    }
  } finally {
    await front?.[Symbol.asyncDispose]();
  }
}

async function wanted(
  { driver, place, certificateDirectory }: MetadataDriver,
  ports: MetadataPorts,
  signal: AbortSignal,
) {
  const { kube, namespace } = ports;
  const { ip, port } = await serviceAddress(kube, { namespace, name: place.service }, signal);
  const kept = metadataCertificate(place.service, namespace, ip);
  const secret = await ensureCertificate({ ...ports, kept }, signal);
  const { certificate, key, authorities } = tlsTextsOf(secret);
  if (certificate === '' || key === '')
    throw new AppError('METADATA_CERTIFICATE', `Secret ${namespace}/${kept.secret} has no certificate and key`, {
      retry: 'later',
      nextStep: 'Delete it, and a new one is made; or put a certificate into it.',
    });
  if (certificateDirectory !== undefined)
    await writeCertificateFiles(certificateDirectory, secret, { random: ports.random, signal });
  const spec = {
    address: `${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
    audience: driver,
    caCert: Buffer.from(authorities).toString('base64'),
  };
  return { pair: { certificate, key }, announce: () => announceService(kube, driver, spec, signal) };
}
