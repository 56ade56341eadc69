import type { KubeObject } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import { type GoType, listOf, wrong } from '../json/go-type.ts';
import { type JsonFile, jsonFile } from '../json/json-file.ts';

/** An object of the API: what came in goes out. */
const kubeObject: GoType = {
  zero: null,
  isEmpty: (value) => value === null || value === undefined,
  read: (value, path) =>
    isJsonObject(value) && isJsonObject(value.metadata) ? value : wrong(path, 'not an object with metadata'),
  write: (value) => value,
};

/** A file that holds objects of the API: `<backup>-podvolumebackups.json.gz` and those of CSI. */
export const objectsFile = <T extends KubeObject>(what: string): JsonFile<T[]> =>
  jsonFile<T[]>(what, listOf(kubeObject), () => []);
