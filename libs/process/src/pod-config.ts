import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { type EngineBinaries, engineBinaries } from './engine-binaries.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment tells a program that does one piece of work in a pod of its own, and ends. */
export interface PodConfig extends EngineBinaries {
  /** Where the objects that it works on live. */
  namespace: string;
  /** Private files and the engine's cache go below it; nothing in it outlives the pod. */
  scratchDirectory: string;
  terminationLogPath: string;
  environment: Environment;
}

/** The file whose content becomes the termination message of the pod. */
export const terminationLogPath = (environment: Environment): string =>
  environment.LATEEN_TERMINATION_LOG || '/dev/termination-log';

/**
 * @param inheritedFrom whose template such pods are made from, for the next step
 * @throws CONFIG_INVALID naming the variable
 */
export function readPodConfig(environment: Environment, inheritedFrom: string): PodConfig {
  const namespace = environment.VELERO_NAMESPACE;
  if (!namespace) {
    throw new AppError('CONFIG_INVALID', 'the environment variable VELERO_NAMESPACE is not set', {
      nextStep: `The pod inherits it from ${inheritedFrom}; set it there.`,
    });
  }
  return {
    namespace,
    scratchDirectory: environment.VELERO_SCRATCH_DIR || join(environment.HOME || '/tmp', '.lateen'),
    terminationLogPath: terminationLogPath(environment),
    ...engineBinaries(environment),
    environment,
  };
}
