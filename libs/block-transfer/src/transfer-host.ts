import {
  type BackupTargetAddress,
  type Call,
  type EngineOf,
  hostError,
  type Instance,
  type InstanceHost,
  type StartBackup,
  type StartClone,
  type StartRestore,
  type StatusLink,
  type StopInstance,
  type TransferProgress,
} from '@lateen/block-engine';
import {
  type BackupMode,
  type BlockBackupStore,
  type BlockSink,
  backupUrl,
  type CompressionMethod,
  compressionMethods,
} from '@lateen/block-store';
import { describeError, isAppError } from '@lateen/errors';
import { InstanceBoard } from '@lateen/instance-host';
import { type Clock, type Logger, orAborted } from '@lateen/kernel';
import { cloneSnapshot } from './clone-snapshot.ts';
import { type OpenedChain, snapshotSource } from './snapshot-source.ts';

/** A backup target that is open; disposing unmounts what was mounted for it. */
export interface OpenedTarget extends AsyncDisposable {
  readonly store: BlockBackupStore;
}

/** A snapshot that is open for as long as it is read; disposing closes it. */
export interface OpenedSource extends AsyncDisposable {
  readonly link: StatusLink;
}

export interface TransferPorts {
  openTarget(target: BackupTargetAddress, o: Call): Promise<OpenedTarget>;
  /** @throws AppError `SNAPSHOT_NOT_FOUND` */
  openSnapshot(request: Pick<StartBackup, 'replica' | 'snapshot'>, o: Call): Promise<OpenedChain>;
  /** The volume of an engine, written as its front end does. @throws AppError `GENERATION_OVER`, `INSTANCE_NOT_FOUND` */
  openSink(request: EngineOf, o: Call): Promise<BlockSink & AsyncDisposable>;
  /** A snapshot of a replica of any node. @throws AppError `SNAPSHOT_NOT_FOUND`, `INSTANCE_NOT_FOUND`, `HOST_UNREACHABLE` */
  openSource(request: StartClone, o: Call): Promise<OpenedSource>;
  /** Of this run of the process. */
  uuid: string;
  clock: Clock;
  log: Logger;
}

/** What a process for one transfer answers of {@link InstanceHost}. */
export type TransferHost = Pick<InstanceHost, 'startBackup' | 'startRestore' | 'startClone' | 'watch' | 'stop'>;

interface Ended {
  readonly url?: string;
  readonly storedBytes?: bigint;
}

type Tell = (done: { doneBytes: bigint; totalBytes: bigint }) => void;

/**
 * Runs one backup, one restore or one clone. A repeated call with the same name reports its progress or its end; it is never started twice.
 * A transfer that is not `detached` is aborted when its progress is no longer read. `stopping` aborts it too.
 */
export function transferHost(ports: TransferPorts, stopping: AbortSignal): TransferHost {
  const board = new InstanceBoard(ports.clock);
  let transfer: Transfer | undefined;
  const run = (of: { name: string; volume: string; detached: boolean }, work: Transfer['work'], call: Call) => {
    transfer ??= new Transfer(ports, board, { ...of, work }, stopping);
    if (transfer.name !== of.name)
      throw hostError('INSTANCE_RUNNING', `this process runs transfer ${transfer.name}`, {
        nextStep: 'Start another process for another transfer.',
      });
    return transfer.follow(of.detached, call);
  };
  return {
    startBackup: (request, call) =>
      run({ ...request, name: request.transfer ?? request.backup }, (tell, o) => backUp(ports, request, tell, o), call),
    startRestore: (request, call) =>
      run({ ...request, name: request.restore }, (tell, o) => restore(ports, request, tell, o), call),
    startClone: (request, call) =>
      run({ ...request, name: request.clone }, (tell, o) => clone(ports, request, tell, o), call),
    watch: (call) => board.watch(call),
    stop: async ({ kind, name }: StopInstance, { signal }) => {
      if (kind === 'transfer' && name === transfer?.name) await orAborted(transfer.stop(), signal);
      return { clean: true };
    },
  };
}

async function backUp(ports: TransferPorts, request: StartBackup, tell: Tell, o: Call): Promise<Ended> {
  await using target = await ports.openTarget(request.target, o);
  await using opened = await ports.openSnapshot(request, o);
  const plan = {
    volume: request.volume,
    backup: request.backup,
    snapshot: request.snapshot,
    snapshots: new Set(opened.chain.slice(1)),
    mode: modeOf(request),
    blockBytes: Number(request.blockBytes),
    compressionMethod: compressionOf(request.compression),
    labels: request.labels,
    storageClassName: request.volumeFacts.storageClassName ?? '',
    workers: request.workers,
  };
  const onProgress = ({ readBytes: doneBytes, toReadBytes: totalBytes }: { readBytes: bigint; toReadBytes: bigint }) =>
    tell({ doneBytes, totalBytes });
  const { backup } = await target.store.backup(snapshotSource(opened, o.signal), plan, { ...o, onProgress });
  const { volume, backup: name } = request;
  return {
    url: backupUrl(request.target.url, { volume, backup: name }),
    storedBytes: backup.newlyUploadedBytes + backup.reUploadedBytes,
  };
}

function modeOf({ mode }: StartBackup): BackupMode {
  if (mode === 'full' || mode === 'incremental') return mode;
  throw hostError('INVALID_ARGUMENT', `a backup has no mode "${mode}"`);
}

function compressionOf(text: string): CompressionMethod {
  const method = compressionMethods.find((each) => each === text);
  if (method !== undefined) return method;
  throw hostError('INVALID_ARGUMENT', `backups are not compressed with "${text}"`, {
    nextStep: `Choose one of ${compressionMethods.join(', ')}.`,
  });
}

async function restore(ports: TransferPorts, request: StartRestore, tell: Tell, o: Call): Promise<Ended> {
  await using target = await ports.openTarget(request.target, o);
  await using sink = await ports.openSink(request, o);
  const { backup, backupVolume, since, begun, isNew, workers } = request;
  await target.store.restore(backupVolume, backup, sink, { ...o, since, begun, isNew, workers, onProgress: tell });
  return {};
}

async function clone(ports: TransferPorts, request: StartClone, tell: Tell, o: Call): Promise<Ended> {
  await using source = await ports.openSource(request, o);
  await using sink = await ports.openSink(request, o);
  await cloneSnapshot(source.link, sink, { ...o, isNew: request.isNew, onProgress: tell });
  return {};
}

interface TransferOf {
  readonly name: string;
  readonly volume: string;
  work(tell: Tell, o: Call): Promise<Ended>;
}

class Transfer {
  readonly name: string;
  readonly work: TransferOf['work'];
  readonly #ports: TransferPorts;
  readonly #board: InstanceBoard;
  readonly #volume: string;
  readonly #broken = new AbortController();
  readonly #ended: Promise<void>;
  #readers = 0;
  #isDetached = false;

  constructor(ports: TransferPorts, board: InstanceBoard, of: TransferOf, stopping: AbortSignal) {
    this.#ports = ports;
    this.#board = board;
    this.name = of.name;
    this.#volume = of.volume;
    this.work = of.work;
    this.#ended = this.#run(AbortSignal.any([this.#broken.signal, stopping]));
  }

  /** Each state of the transfer until it has ended; a slow reader misses some in between. */
  async *follow(isDetached: boolean, { signal }: Call): AsyncGenerator<TransferProgress> {
    this.#isDetached ||= isDetached;
    this.#readers++;
    try {
      for await (const event of this.#board.watch({ signal })) {
        const progress = event.type === 'changed' ? event.instance.transfer : undefined;
        if (progress === undefined) continue;
        yield progress;
        if (progress.ended) return;
      }
    } finally {
      this.#readers--;
      if (this.#readers === 0 && !this.#isDetached) this.#broken.abort(stoppedError('nobody reads its progress'));
    }
  }

  async stop(): Promise<void> {
    this.#broken.abort(stoppedError('it was stopped'));
    await this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { log } = this.#ports;
    const last = { doneBytes: 0n, totalBytes: 0n };
    this.#tell('running', { ...last, ended: false });
    try {
      const done = await this.work(
        (progress) => {
          Object.assign(last, { doneBytes: progress.doneBytes, totalBytes: progress.totalBytes });
          this.#tell('running', { ...last, ended: false });
        },
        { signal },
      );
      log.info({ transfer: this.name, volume: this.#volume }, 'the transfer is complete');
      this.#tell('stopped', { ...last, ended: true, ...done });
    } catch (thrown) {
      const cause = signal.aborted ? signal.reason : thrown;
      log.warn({ transfer: this.name, volume: this.#volume, err: cause }, 'the transfer has failed');
      const error = { code: isAppError(cause) ? cause.code : 'TRANSFER_FAILED', message: describeError(cause) };
      this.#tell('error', { ...last, ended: true, error });
    }
  }

  #tell(state: Instance['state'], progress: Omit<TransferProgress, 'name'>): void {
    const { name } = this;
    this.#board.set({
      kind: 'transfer',
      name,
      volume: this.#volume,
      generation: 0,
      state,
      uuid: this.#ports.uuid,
      transfer: { name, ...progress },
      ...(progress.error === undefined ? {} : { error: progress.error }),
    });
  }
}

const stoppedError = (why: string) => hostError('ABORTED', `the transfer was aborted: ${why}`);
