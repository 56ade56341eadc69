import { describe } from 'vitest';
import { cancelling } from './cancelling.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import { failing } from './failing.ts';
import { movingBlocks } from './moving-blocks.ts';
import { movingFiles } from './moving-files.ts';

/**
 * The contract of `Uploader` (@lateen/datapath) as a suite that every engine passes, with the real engine and a real store. Each
 * case has its own repository, and checks at its end that no lock is left and no secret was printed. An engine states its limits
 * in `can`, and the suite tests these limits too. Cases that need mounts are skipped without root.
 */
export function describeUploader(name: string, engine: EngineUnderTest): void {
  describe(`${name} moves files`, () => movingFiles(engine));
  describe(`${name} fails`, () => failing(engine));
  describe(`${name} is cancelled`, () => cancelling(engine));
  describe(`${name} and block volumes`, () => movingBlocks(engine));
}
