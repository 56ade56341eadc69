import { type Secret, secretType } from '@lateen/api-types';
import { type Clock, type Logger, type Random, type RetryPolicy, retry, unlessAborted } from '@lateen/kernel';
import {
  isAlreadyExists,
  type KubeApi,
  type ObjectKey,
  readObject,
  retryAfterMsOf,
  retryOnConflict,
} from '@lateen/kube';
import { changedSecret } from './apply-certificate.ts';
import { type KeptCertificate, volumeManagerTls } from './certificate-secret.ts';
import { certificateLimits, decideCertificate } from './decide-certificate.ts';

export interface CertificatePorts {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The Secret to keep; absent: {@link volumeManagerTls}. */
  readonly kept?: KeptCertificate;
}

/** An API server that is down is retried without end: nothing works without the certificate. */
const backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

/**
 * Brings the Secret to its wanted state and returns it. Several programs may do so at the same time: of two writes one wins, and the
 * other program uses the result. Safe to repeat. Neither certificate nor key is logged.
 * @throws the signal's reason on abort; a write may then have happened or not
 */
export async function ensureCertificate(ports: CertificatePorts, signal: AbortSignal): Promise<Secret> {
  const { log, kept = volumeManagerTls } = ports;
  const policy: RetryPolicy = {
    backoff,
    mayRetry: () => true,
    askedMs: retryAfterMsOf,
    onRetry: ({ error, waitMs }) =>
      log.warn({ err: error, certificate: kept.secret, retryInMs: waitMs }, 'a certificate could not be looked after'),
  };
  return await retry(ports, policy, () => retryOnConflict(() => readAndWrite(ports, signal)), signal);
}

/** Keeps the Secret up to date until `signal` aborts; then resolves. */
export async function keepCertificate(ports: CertificatePorts, signal: AbortSignal): Promise<void> {
  const { clock, random } = ports;
  while (!signal.aborted) {
    await unlessAborted(ensureCertificate(ports, signal), signal);
    // Jitter, so that managers that started together do not all check at the same moment.
    await unlessAborted(clock.sleep(certificateLimits.lookMs * (0.75 + 0.5 * random.next()), signal), signal);
  }
}

async function readAndWrite(ports: CertificatePorts, signal: AbortSignal): Promise<Secret> {
  const { kube, namespace, clock, log, kept = volumeManagerTls } = ports;
  const key = { namespace, name: kept.secret };
  const nowMs = clock.now();
  const seen = await readObject(kube, secretType, key, signal);
  if (seen === undefined) return await make(ports, key, signal);
  const step = decideCertificate(kept, seen, nowMs);
  if (step.do === 'keep') {
    const { problem } = step;
    if (problem !== undefined)
      log.warn({ certificate: key.name, problem }, 'a certificate that another program manages needs them');
    return seen;
  }
  const written = await kube.update(secretType, await changedSecret({ kept, namespace }, seen, step.do, nowMs), {
    signal,
  });
  log.info({ certificate: key.name, step: step.do }, 'a certificate was renewed');
  return written;
}

async function make(ports: CertificatePorts, key: ObjectKey, signal: AbortSignal): Promise<Secret> {
  const { kube, namespace, clock, log, kept = volumeManagerTls } = ports;
  const wanted = await changedSecret({ kept, namespace }, undefined, 'make', clock.now());
  try {
    const made = await kube.create(secretType, wanted, { namespace, signal });
    log.info({ certificate: key.name }, 'a certificate was made');
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return await kube.get(secretType, key, { signal });
  }
}
