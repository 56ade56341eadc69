import type { SourceFolder } from '../content/source-folder.ts';
import type { JourneyResult } from '../journey.ts';
import { isFaithful } from '../tree/compare-trees.ts';
import { comparisonTable, movementTable } from './print-report.ts';

export interface ResultContext {
  source: SourceFolder;
  seconds: number;
  ownCluster: boolean;
}

/** Prints the demo's end. Returns whether all is well: nothing wrong in the tree, and nothing left in the cluster. */
export function printResult(result: JourneyResult, context: ResultContext): boolean {
  const faithful = isFaithful(result.comparison);
  const clean = result.leftovers.length === 0;
  console.log(`\n${movementTable(result.records)}`);
  console.log(`\n${comparisonTable(result.comparison)}\n`);
  console.log(
    `${result.entries} entries, ${context.source.files} of the files from ${context.source.path}; ${result.changedFiles} changed between the uploads.`,
  );
  console.log(
    clean
      ? 'Nothing leaked: no pod, PVC, PV, VolumeSnapshot or VolumeSnapshotContent is left of the three movements.'
      : `LEFT BEHIND: ${result.leftovers.join(', ')}`,
  );
  console.log(
    faithful
      ? 'The restored tree equals the source in everything that the engine keeps.'
      : 'The restored tree DIFFERS from the source where it must not: see WRONG above.',
  );
  if (context.ownCluster)
    console.log(
      'The cluster goes on running. Look around: npm run cluster -- status   End it: npm run cluster -- down',
    );
  console.log(`${faithful && clean ? 'Done' : 'FAILED'} after ${context.seconds.toFixed(0)} s.`);
  return faithful && clean;
}
