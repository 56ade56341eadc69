import { isConflict } from './kube-error.ts';

/** Each conflict means that another client wrote in the meantime; this many in a row mean that clients overwrite each other. */
const writesMax = 10;

/**
 * For reading an object and writing what follows from it: repeats it, without a delay, when another client has written
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
