import { isConflict } from './kube-error.ts';

/** Each conflict means that somebody else wrote in the meantime; so many in a row are a quarrel, not bad luck. */
const writesMax = 10;

/**
 * For reading an object and writing what follows from it: does it again, without a wait, when somebody else has written
 * meanwhile, since what they wrote has to be read first.
 * @throws KUBE_CONFLICT after ten in a row; whatever else `readAndWrite` throws
 */
export async function retryOnConflict<T>(readAndWrite: () => Promise<T>): Promise<T> {
  for (let write = 1; ; write++) {
    try {
      return await readAndWrite();
    } catch (error) {
      if (!isConflict(error) || write >= writesMax) throw error;
    }
  }
}
