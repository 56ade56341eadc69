import { type Call, hostError } from '@lateen/block-engine';
import type { KubeApi } from '@lateen/kube';
import { type Engine, engineType, storageAnnotations } from '@lateen/storage-types';
import { engineOfRun } from './engine-of-run.ts';
import type { EngineRun } from './engine-patch.ts';
import { type RecordingPorts, untilRecorded } from './until-recorded.ts';

/**
 * Makes one start of an engine the only one of its generation, before it serves anything. A second start would begin with the replicas of the
 * first, without the comparison of their heads and without failures that the first did not live to record; so an engine that has ended is
 * followed by another generation, never by itself. The claim is in the API, not in a file of the host: a recreated pod has
 * forgotten its files.
 *
 * @param o.start names this start; a new name for each. The same one may ask again.
 * @throws `GENERATION_OVER` when another start has this generation, another generation has begun, or the Engine is gone
 */
export async function claimGeneration(
  ports: RecordingPorts & { kube: KubeApi },
  { run, start }: { run: EngineRun; start: string },
  signal: AbortSignal,
): Promise<void> {
  const log = ports.log.child({ engine: run.engine, generation: run.generation });
  const once = async (o: Call) => {
    const engine = await engineOfRun(ports.kube, run, o);
    const claimed = engine.metadata.annotations?.[storageAnnotations.claimed];
    if (claimed === claimOf(run, start)) return;
    if (claimed?.startsWith(claimOf(run, '')))
      throw hostError('GENERATION_OVER', `engine ${run.engine} was started before under generation ${run.generation}`, {
        nextStep: 'Nothing to do: the volume continues with another generation.',
      });
    await write(ports.kube, run, engine, claimOf(run, start), o);
  };
  await untilRecorded({ ...ports, log }, 'an engine cannot be started yet', (ends) => once({ signal: ends }), signal);
}

const claimOf = ({ generation }: EngineRun, start: string): string => `${generation} ${start}`;

/** Fails with a conflict when the Engine has changed since it was read. */
async function write(kube: KubeApi, run: EngineRun, { metadata }: Engine, claim: string, o: Call): Promise<void> {
  const { resourceVersion } = metadata;
  const body = { metadata: { resourceVersion, annotations: { [storageAnnotations.claimed]: claim } } };
  await kube.patch(engineType, { namespace: run.namespace, name: run.engine }, { type: 'merge', body }, o);
}
