import { AppError, isAppError } from '@lateen/errors';
import { certificateProblem, connectTls, type ServiceClient } from '@lateen/grpc';
import { type Clock, type Logger, type Random, Retries, type RetryPolicy } from '@lateen/kernel';
import { idleGuard, type KubeApi, keyText, type ObjectKey } from '@lateen/kube';
import { doubt, doubtReason } from '../doubt.ts';
import { SnapshotMetadataClient, type SnapshotMetadataServer } from '../generated/snapshot-metadata.ts';
import type { RangeList, RangeListLimits } from '../ranges/range-list.ts';
import { explainEnd, isInterruption, untrusted } from './explain-end.ts';
import { type MetadataAnswer, MetadataChecker } from './metadata-checker.ts';
import { requestToken } from './security-token.ts';
import { findMetadataService, type MetadataService } from './snapshot-metadata-service.ts';

export interface ChangedRangesPorts {
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Opens a connection to the service of a driver; absent: gRPC over TLS. */
  readonly connect?: (service: MetadataService) => MetadataConnection;
}

/** Calls of a SnapshotMetadata service; disposing closes the connection. */
export type MetadataConnection = Pick<
  ServiceClient<SnapshotMetadataServer>,
  'getMetadataAllocated' | 'getMetadataDelta'
> &
  Disposable & {
    /** What is wrong with the certificate of the server, if it can be reached and that is the reason why nothing is answered. */
    certificateProblem(signal: AbortSignal): Promise<string | undefined>;
  };

/** What is asked, of one volume. The size must be that of the answer. */
export interface MetadataQuestion extends RangeListLimits {
  readonly driver: string;
  /** Who asks: it may get volumesnapshots in the namespace of the snapshot. */
  readonly serviceAccount: ObjectKey;
  /** Where the VolumeSnapshot is that is read. */
  readonly namespace: string;
  readonly snapshot: string;
  /** What the driver calls the snapshot since which changes are asked for; absent: all blocks that have data. */
  readonly baseHandle?: string;
}

/** Bounds of one question. */
export const askLimits = {
  /** Blocks of a message: 1.6 MB, well below the 4 MiB that gRPC takes. */
  blocksMax: 65_536,
  /** A driver may have to read its tables first. */
  idleMs: 300_000,
  /** Tries that bring nothing new, one after another: some 15 s, the time of a sidecar to start again. */
  attemptsMax: 5,
  backoff: { firstMs: 1_000, maxMs: 8_000, factor: 2, jitter: 0.2 },
  /** Streams in all: the sidecar ends each after ten minutes, so this is more than a day. */
  streamsMax: 200,
} as const;

const policy: RetryPolicy = {
  backoff: askLimits.backoff,
  attemptsMax: askLimits.attemptsMax,
  mayRetry: isInterruption,
};

/**
 * Ranges of a snapshot that have data or have changed since another snapshot of its volume, as the Kubernetes SnapshotMetadata API tells
 * them: at least what has changed, in ascending order. An interrupted stream continues where it ended; a refused token is requested again once.
 * @throws a doubt (`doubtReason` names it) when the list is not known for sure; KUBE_… when the API server is away; the signal's reason on abort
 */
export async function readChangedRanges(
  ports: ChangedRangesPorts,
  question: MetadataQuestion,
  signal: AbortSignal,
): Promise<RangeList> {
  const service = await findMetadataService(ports.kube, question.driver, signal);
  if (service === undefined)
    throw doubt('DELTA_SERVICE_MISSING', question.driver, {
      nextStep: 'Install the sidecar external-snapshot-metadata beside the driver, and its SnapshotMetadataService.',
    });
  return await readRangesFrom(ports, service, question, signal);
}

/** The same, for a service that has been found. @throws see {@link readChangedRanges} */
export async function readRangesFrom(
  ports: ChangedRangesPorts,
  service: MetadataService,
  question: MetadataQuestion,
  signal: AbortSignal,
): Promise<RangeList> {
  using client = (ports.connect ?? connectGrpc)(service);
  return await new Reading(ports, { question, service, client }, signal).read();
}

/** @throws DELTA_SERVICE_WRONG */
function connectGrpc(service: MetadataService): MetadataConnection {
  try {
    const client = connectTls<SnapshotMetadataServer>(service, SnapshotMetadataClient);
    return Object.assign(client, { certificateProblem: (signal: AbortSignal) => certificateProblem(service, signal) });
  } catch (cause) {
    if (!isAppError(cause, 'TLS_PEER')) throw cause;
    throw doubt('DELTA_SERVICE_WRONG', `SnapshotMetadataService ${service.driver}: ${cause.message}`, { cause });
  }
}

interface Asked {
  readonly question: MetadataQuestion;
  readonly service: MetadataService;
  readonly client: MetadataConnection;
}

/** One question, answered by as many streams as it takes. */
class Reading {
  readonly #ports: ChangedRangesPorts;
  readonly #asked: Asked;
  readonly #signal: AbortSignal;
  readonly #checker: MetadataChecker;
  #tries: Retries;
  #token: string | undefined;
  /** A token was refused and nothing has come since. */
  #isRenewed = false;

  constructor(ports: ChangedRangesPorts, asked: Asked, signal: AbortSignal) {
    this.#ports = ports;
    this.#asked = asked;
    this.#signal = signal;
    this.#checker = new MetadataChecker(asked.question);
    this.#tries = new Retries(ports, policy, signal);
  }

  async read(): Promise<RangeList> {
    for (let streams = 1; ; streams++) {
      const startingOffset = this.#checker.begin();
      try {
        await this.#stream(startingOffset);
        return this.#checker.finished();
      } catch (error) {
        this.#signal.throwIfAborted();
        if (doubtReason(error) !== undefined) throw error;
        if (this.#checker.isWhole) return this.#checker.finished();
        await this.#afterFailure(error, { isLast: streams >= askLimits.streamsMax, startingOffset });
      }
    }
  }

  async #stream(startingOffset: bigint): Promise<void> {
    const { clock, kube } = this.#ports;
    const { question, service } = this.#asked;
    this.#token ??= await requestToken(kube, question.serviceAccount, service.audience, this.#signal);
    const idle = new AbortController();
    const guard = idleGuard(clock, askLimits.idleMs, () =>
      idle.abort(new AppError('DEADLINE_EXCEEDED', `no message for ${askLimits.idleMs / 1000}s`, { retry: 'soon' })),
    );
    try {
      const signal = AbortSignal.any([this.#signal, idle.signal]);
      for await (const answer of this.#ask(this.#token, startingOffset, signal)) {
        guard.touch();
        this.#checker.take(answer);
      }
    } finally {
      guard.stop();
    }
  }

  #ask(securityToken: string, startingOffset: bigint, signal: AbortSignal): AsyncIterable<MetadataAnswer> {
    const { client, question } = this.#asked;
    const { namespace, snapshot, baseHandle } = question;
    const all = { securityToken, namespace, startingOffset, maxResults: askLimits.blocksMax };
    if (baseHandle === undefined) return client.getMetadataAllocated({ ...all, snapshotName: snapshot }, { signal });
    return client.getMetadataDelta({ ...all, baseSnapshotId: baseHandle, targetSnapshotName: snapshot }, { signal });
  }

  /** Resolves when the next stream may begin. @throws what the question ends with */
  async #afterFailure(error: unknown, { isLast, startingOffset }: { isLast: boolean; startingOffset: bigint }) {
    const { question, service, client } = this.#asked;
    const brought = this.#checker.nextOffset > startingOffset;
    if (brought) [this.#tries, this.#isRenewed] = [new Retries(this.#ports, policy, this.#signal), false];
    if (!brought && isAppError(error, 'UNAVAILABLE')) {
      const problem = await client.certificateProblem(this.#signal);
      if (problem !== undefined) throw untrusted(service.address, problem, error);
    }
    if (isAppError(error, 'UNAUTHENTICATED') && !this.#isRenewed && !isLast) {
      [this.#token, this.#isRenewed] = [undefined, true];
      return;
    }
    const told = explainEnd(error, {
      question,
      account: keyText(question.serviceAccount),
      hasBegun: this.#checker.hasBegun,
    });
    if (isLast) throw told;
    await this.#tries.afterFailure(error).catch((reason: unknown) => {
      throw reason === error ? told : reason;
    });
    this.#ports.log.info(
      { driver: question.driver, snapshot: question.snapshot, offset: String(this.#checker.nextOffset), error },
      'the list of changed blocks was interrupted and continues',
    );
  }
}
