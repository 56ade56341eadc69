import type { Result, Results } from '../files/results.ts';
import type { ResultLine } from './result-text.ts';

/** Of warnings, and of errors; more are only counted. A file of more says no more to anybody. */
export const resultLinesMax = 20_000;

/** Gathers what becomes `<backup>-results.gz`, or that of a restore, with bounded memory. */
export class ResultLines {
  readonly #results: Results = { warnings: {}, errors: {} };
  readonly #counts = { warnings: 0, errors: 0 };

  add(kind: 'warning' | 'error', { bucket, text }: ResultLine): void {
    const which = kind === 'warning' ? 'warnings' : 'errors';
    this.#counts[which] += 1;
    if (this.#counts[which] <= resultLinesMax) put(this.#results[which], bucket, text);
  }

  results(): Results {
    const results = structuredClone(this.#results);
    for (const which of ['warnings', 'errors'] as const) {
      const more = this.#counts[which] - resultLinesMax;
      if (more > 0) put(results[which], 'velero', ` message: /${more} more ${which} are in the log only`);
    }
    return results;
  }
}

function put(result: Result, bucket: ResultLine['bucket'], text: string): void {
  if (typeof bucket === 'string') {
    const texts = result[bucket];
    if (texts) texts.push(text);
    else result[bucket] = [text];
    return;
  }
  result.namespaces ??= {};
  const texts = result.namespaces[bucket.namespace];
  if (texts === undefined) result.namespaces[bucket.namespace] = [text];
  else texts.push(text);
}
