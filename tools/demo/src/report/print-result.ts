import type { BackupJourneyResult } from '../backup-journey.ts';
import type { SourceFolder } from '../content/source-folder.ts';
import { isFaithful } from '../tree/compare-trees.ts';
import { comparisonTable, fileTable, movementTable } from './print-report.ts';

export interface ResultContext {
  source: SourceFolder;
  seconds: number;
  ownCluster: boolean;
}

/** Prints the demo's end. Returns whether all is well: nothing wrong in tree and database, no customer turned away, and nothing left. */
export function printResult(result: BackupJourneyResult, context: ResultContext): boolean {
  const faithful = isFaithful(result.comparison);
  const clean = result.leftovers.length === 0;
  const sound = result.database.flaws.length === 0;
  const { customers } = result;
  if (result.files !== undefined) console.log(`\n${fileTable(result.files)}`);
  console.log(`\n${movementTable(result.records)}`);
  console.log(`\n${comparisonTable(result.comparison)}\n`);
  console.log(
    `${result.entries} entries, ${context.source.files} of the files from ${context.source.path}; ${result.changedFiles} changed between the backups.`,
  );
  console.log(
    sound
      ? `The database came back as it was at one moment: ${result.database.restored.transactions} transactions, accounts, tellers, branches and history agree, and every page and index was read.`
      : `The database came back WRONG: ${result.database.flaws.join('; ')}`,
  );
  console.log(
    `Customers bought for ${customers.seconds} s, ${customers.failed === 0 ? 'none was turned away' : `${customers.failed} were TURNED AWAY`}; their longest pause was ${customers.longestPauseSeconds} s.`,
  );
  console.log(
    clean
      ? 'Nothing leaked: no pod, PVC, PV, VolumeSnapshot or VolumeSnapshotContent is left of the movements.'
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
  const well = faithful && clean && sound && customers.failed === 0;
  console.log(`${well ? 'Done' : 'FAILED'} after ${context.seconds.toFixed(0)} s.`);
  return well;
}
