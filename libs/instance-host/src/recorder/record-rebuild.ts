import { type Call, hostError } from '@lateen/block-engine';
import type { KubeApi } from '@lateen/kube';
import { type Engine, engineType } from '@lateen/storage-types';
import { engineOfRun } from './engine-of-run.ts';
import { type EngineRun, type RebuildMode, rebuildPatch } from './engine-patch.ts';
import { type RecordingPorts, untilRecorded } from './until-recorded.ts';

type Ports = RecordingPorts & { kube: KubeApi };
interface Rebuilt {
  readonly run: EngineRun;
  /** Name of the Replica object. */
  readonly object: string;
}

/**
 * Records that a replica is being rebuilt (mode WO): the next start of the volume does not treat it as whole. Retried until it is written.
 * @throws `NOT_POSSIBLE_NOW` while the Engine still has it as failed or whole; `GENERATION_OVER`; the signal's reason on abort
 */
export async function recordWriting(ports: Ports, rebuilt: Rebuilt, signal: AbortSignal): Promise<void> {
  await recordMode(ports, rebuilt, { from: undefined, to: 'WO' }, signal);
}

/**
 * Records that a replica has all data (mode RW over WO): the next start may begin with it. It never takes effect after a later record of its failure,
 * or after any other change: then it is refused, and retried only on the new state.
 * @throws `NOT_POSSIBLE_NOW` when the Engine does not have it as being rebuilt (any more); `GENERATION_OVER`; the signal's reason on abort
 */
export async function recordHealthy(ports: Ports, rebuilt: Rebuilt, signal: AbortSignal): Promise<void> {
  await recordMode(ports, rebuilt, { from: 'WO', to: 'RW' }, signal);
}

async function recordMode(
  ports: Ports,
  { run, object }: Rebuilt,
  step: Pick<RebuildMode, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<void> {
  const log = ports.log.child({ engine: run.engine, generation: run.generation, replica: object });
  const once = async (o: Call) => {
    const engine = await engineOfRun(ports.kube, run, o);
    const mode = engine.status?.replicaModeMap?.[object];
    // No other program writes this mode: the answer to an earlier attempt was lost.
    if (mode === step.to) return;
    if (mode !== step.from) throw notNow(engine, object, mode);
    const body = rebuildPatch(run, { ...step, replica: object, atMs: ports.clock.now() }, engine);
    const key = { namespace: run.namespace, name: run.engine };
    // Refused when the Engine has changed meanwhile; its new state then decides.
    await ports.kube.patch(engineType, key, { type: 'json', body }, { ...o, subresource: 'status' });
  };
  await untilRecorded({ ...ports, log }, 'a rebuild cannot be recorded yet', (ends) => once({ signal: ends }), signal);
  log.info({ mode: step.to }, 'the mode of a replica is recorded');
}

const notNow = (engine: Engine, object: string, mode: string | undefined) =>
  hostError('NOT_POSSIBLE_NOW', `engine ${engine.metadata.name} has ${object} as ${mode ?? 'none of its replicas'}`, {
    nextStep: 'Nothing to do: the replica is rebuilt when its last failure is recorded.',
  });
