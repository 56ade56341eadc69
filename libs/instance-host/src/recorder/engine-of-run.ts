import { type Call, hostError } from '@lateen/block-engine';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { type Engine, engineType } from '@lateen/storage-types';
import { type EngineRun, isStillRun } from './engine-patch.ts';

/** The Engine of a generation, as the API has it. @throws `GENERATION_OVER` when another one has begun, or it is gone */
export async function engineOfRun(kube: KubeApi, run: EngineRun, o: Call): Promise<Engine> {
  const { namespace, engine: name, generation } = run;
  let engine: Engine | undefined;
  try {
    engine = await kube.get(engineType, { namespace, name }, o);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  if (engine !== undefined && isStillRun(engine, run)) return engine;
  throw hostError('GENERATION_OVER', `generation ${generation} of engine ${name} is over`);
}
