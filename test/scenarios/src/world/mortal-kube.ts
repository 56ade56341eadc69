import { type KubeApi, kubeError } from '@lateen/kube';

/** When a process dies: at its n-th write (from 0), before the server gets it or after, with the answer lost. */
export interface Death {
  atWrite: number;
  when: 'before' | 'after';
}

/**
 * Deaths at each of that many writes, after the server has it, and at some of them before: a death before a write differs from one after
 * the previous write only in what the process has received.
 */
export const deathsAt = (writes: number): Death[] => [
  ...Array.from({ length: writes }, (_, atWrite): Death => ({ atWrite, when: 'after' })),
  ...Array.from({ length: Math.ceil(writes / 3) }, (_, at): Death => ({ atWrite: at * 3, when: 'before' })),
];

export interface Mortality {
  dead: boolean;
  writes: number;
  death?: Death | undefined;
  /** Called once, when the process dies. */
  die(): void;
}

/** A call at which a process may die, before it is made or after, with the answer lost. @param lost the error that a dead process gets */
export async function mortalStep<T>(life: Mortality, lost: () => Error, call: () => Promise<T>): Promise<T> {
  if (life.dead) throw lost();
  const isLast = life.death?.atWrite === life.writes++;
  if (isLast && life.death?.when === 'before') life.die();
  if (life.dead) throw lost();
  const answer = await call();
  if (isLast) life.die();
  if (life.dead) throw lost();
  return answer;
}

const lost = () => kubeError('KUBE_UNAVAILABLE', 'the process is dead');

/** The API as one process sees it: from its death on, none of its calls is carried out. */
export function mortalKube(kube: KubeApi, life: Mortality): KubeApi {
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    if (life.dead) throw lost();
    return await call();
  };
  const write = <T>(call: () => Promise<T>): Promise<T> => mortalStep(life, lost, call);
  return {
    get: (...args) => read(() => kube.get(...args)),
    list: (...args) => read(() => kube.list(...args)),
    watch: (...args) => kube.watch(...args),
    create: (...args) => write(() => kube.create(...args)),
    update: (...args) => write(() => kube.update(...args)),
    patch: (...args) => write(() => kube.patch(...args)),
    delete: (...args) => write(() => kube.delete(...args)),
  };
}
