import type { ItemOutcome } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import { backupNoun, causesOf, type InspectedBackup } from '@lateen/operations/backup';
import { outcomeLines, resourceListLines } from '../../describe/list-sections.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { causeSection, resultsSections } from '../../describe/results-sections.ts';
import { hookLines, operationLines, phaseLines } from '../../describe/run-sections.ts';
import { page, section } from '../../output/description.ts';
import { settingSections, specSections } from './spec-sections.ts';
import { deletionLines, statusSections } from './status-sections.ts';
import { volumeLines } from './volume-sections.ts';

/**
 * The whole description of a backup, as text: the headings of Velero in its order (cli.md section 9), with the causes of failures
 * right below the phase. Volumes that were not backed up, and outcomes of items, are ours; Velero has no such sections.
 */
export function describeBackup(inspected: InspectedBackup, { details }: { details: boolean }): string {
  const { backup } = inspected;
  const { spec, status = {} } = backup;
  return page([
    metadataLines(backup),
    phaseLines(backupNoun, backup),
    status.queuePosition ? [`Queue position:  ${status.queuePosition}`] : [],
    causeSection(causesOf(inspected)),
    ...settingSections(spec),
    status.validationErrors?.length ? section('Validation errors', status.validationErrors.map(plainLine)) : [],
    ...resultsSections(inspected.results, status),
    ...specSections(spec),
    ...statusSections(backup),
    operationLines('Backup', backupNoun.countsOf(backup).operations, inspected.operations, details),
    resourceListLines('backup', inspected.resources),
    outcomeLines(inspected.outcomes, outcomeCells),
    volumeLines(inspected, details),
    hookLines(status.hookStatus),
    deletionLines(inspected),
  ]);
}

const outcomeCells = ({ outcome, kind, namespace, name, reason = '', by = '' }: ItemOutcome): string[] => [
  outcome,
  kind,
  [namespace, name].filter(Boolean).join('/'),
  reason,
  by,
];
