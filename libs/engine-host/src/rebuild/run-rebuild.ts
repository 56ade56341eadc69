import { recordHealthy, recordWriting } from '@lateen/instance-host';
import { orAborted } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import type { LiveEngine } from '../engine/live-engine.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { freezeAll, takeBack } from '../operations/take-snapshot.ts';
import { copyFromAny } from './copy-from-any.ts';
import type { RebuildJob } from './rebuild-job.ts';

/** Heads without their parents are written in these units: the sub-clusters of their images (ADR 0051). */
const widenBytes = 4096;

/**
 * A whole rebuild (ADR 0051): from a snapshot on, an empty head takes the engine's writes, the frozen layers are copied below it, and in a pause both
 * are joined to one chain, which is recorded as healthy and read. After a failure the replica leaves the set with a record, and its snapshot is
 * removed; the copied layers stay for the next attempt.
 */
export async function runRebuild(engine: LiveEngine, job: RebuildJob): Promise<void> {
  const { ports } = engine.parts;
  const snapshot = `rebuild-${ports.random.uuid()}`;
  try {
    await beginWriting(engine, job, snapshot);
    await recordWriting(ports, rebuiltOf(engine, job), job.signal);
    await copyFromAny(engine, job);
    // Before the pause, so that requests never wait for an API server that is down.
    await recordWriting(ports, rebuiltOf(engine, job), job.signal);
    await attach(engine, job, snapshot);
  } catch (error) {
    if (!engine.parts.ended.aborted) await giveUp(engine, job, snapshot, error);
    throw error;
  }
  ports.log.info({ replica: job.replica }, 'a replica is rebuilt');
  await refreshSnapshots(engine);
}

async function beginWriting(engine: LiveEngine, job: RebuildJob, snapshot: string): Promise<void> {
  const { replicas, recorder, ports } = engine.parts;
  const { replica: name, signal } = job;
  // Its old failure must not be written after its recovery.
  await orAborted(recorder.settled(name), signal);
  const { sizeBytes } = engine.set.state;
  await replicas.call(name, signal, (control, o) => control.beginRebuild({ ...replicas.of(name), sizeBytes }, o));
  const link = await replicas.connect(name, signal);
  let isAdded = false;
  try {
    using _turn = await engine.turn(signal);
    const facts = { snapshot, userCreated: false, created: apiTime(ports.clock.now()), labels: {} };
    await freezeAll(engine, facts, signal, () => {
      engine.set.addWriting(name, link, { widenBytes });
      isAdded = true;
      job.joined();
    });
  } finally {
    if (!isAdded) await link[Symbol.asyncDispose]();
  }
}

async function attach(engine: LiveEngine, job: RebuildJob, snapshot: string): Promise<void> {
  const { replicas, limits, ports } = engine.parts;
  const { replica: name, signal } = job;
  job.show({ step: 'attaching' });
  using _turn = await engine.turn(signal);
  const attachLayers = () =>
    replicas.call(
      name,
      signal,
      (control, o) => control.attachLayers({ ...replicas.of(name), snapshot }, o),
      limits.replicaMs.attach,
    );
  try {
    await engine.paused(limits.pauseMs.attach, signal, async () => {
      await engine.set.relink(name, async () => {
        await attachLayers();
        return replicas.connect(name, signal);
      });
      await engine.set.promote(name, (ends) => recordHealthy(ports, rebuiltOf(engine, job), ends));
    });
  } catch (error) {
    // It was promoted; only the pause had expired before it was ended.
    if (!engine.readable.includes(name)) throw error;
    ports.log.warn({ replica: name, err: error }, 'the pause of a rebuild took too long');
  }
}

async function giveUp(engine: LiveEngine, job: RebuildJob, snapshot: string, error: unknown): Promise<void> {
  const { ports } = engine.parts;
  const { replica } = job;
  const message = `not rebuilt: ${error instanceof Error ? error.message : String(error)}`;
  // Rejects when it has left by itself, or the set is over: then that is recorded or reported.
  if (engine.members.includes(replica))
    await engine.set
      .drop(replica, { kind: 'not-promoted', message })
      .catch((late: unknown) => ports.log.debug({ replica, err: late }, 'a replica had left before it was dropped'));
  await takeBack(engine, snapshot);
  await refreshSnapshots(engine);
}

function rebuiltOf({ parts }: LiveEngine, { replica }: RebuildJob) {
  const { record, generation } = parts.request;
  const run = { namespace: record.namespace, engine: record.engine, uid: record.engineUid, generation };
  return { run, object: record.replicas[replica] ?? replica };
}
