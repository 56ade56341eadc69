import { always, struct, unlessEmpty } from '../json/go-struct.ts';
import { listOf, mapOf, text } from '../json/go-type.ts';
import { jsonFile } from '../json/json-file.ts';

/** Messages of a backup or a restore by where they belong (object-store-layout.md section 5.4). */
export interface Result {
  velero?: string[] | null;
  cluster?: string[] | null;
  namespaces?: Record<string, string[]> | null;
}

/** `<backup>-results.gz` and `restore-<restore>-results.gz`. */
export interface Results {
  warnings: Result;
  errors: Result;
}

const result = struct({
  velero: unlessEmpty(listOf(text)),
  cluster: unlessEmpty(listOf(text)),
  namespaces: unlessEmpty(mapOf(listOf(text))),
});

export const resultsFile = jsonFile<Results>(
  'the results',
  struct({ errors: always(result), warnings: always(result) }),
  () => ({ errors: {}, warnings: {} }),
);
