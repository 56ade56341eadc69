import { residentMb } from './process-memory.ts';
import { restoreRun } from './restore-run.ts';
import { archiveOf, type StoredShape } from './stored-objects.ts';
import { swallowingApi } from './swallowing-api.ts';

/*
 * For the benchmark of restores: `node restore-large.ts <shape as JSON> <at once>`. Restores objects into an API server that discards them.
 * Prints one line of JSON.
 */
const [shapeText = '{}', atOnce = '64'] = process.argv.slice(2);
const shape = JSON.parse(shapeText) as StoredShape;
const api = swallowingApi();
const parts = { kube: api, discovery: api, parallel: Number(atOnce), dryRun: false };
const { outcome, seconds } = await restoreRun({ ...parts, archive: archiveOf(shape) }, new AbortController().signal);
console.log(JSON.stringify({ objects: outcome.itemsRestored, seconds, residentMostMb: residentMb('VmHWM') }));
