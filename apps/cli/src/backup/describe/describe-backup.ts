import { plainLine } from '@lateen/errors';
import { causesOf, type InspectedBackup } from '@lateen/operations/backup';
import { fields, page, section } from '../../output/description.ts';
import { outcomeLines, resourceListLines } from './list-sections.ts';
import { metadataLines } from './metadata-section.ts';
import { causeSection, resultsSections } from './results-sections.ts';
import { settingSections, specSections } from './spec-sections.ts';
import { deletionLines, operationLines, phaseLines, statusSections } from './status-sections.ts';
import { volumeLines } from './volume-sections.ts';

/**
 * All that is known of a backup, for people: the headings of the reference in its order (cli.md section 9), with the causes of what failed
 * right below the phase, and volumes that were not backed up and outcomes of items where the reference has nothing.
 */
export function describeBackup(inspected: InspectedBackup, { details }: { details: boolean }): string {
  const { backup } = inspected;
  const { spec, status = {} } = backup;
  return page([
    metadataLines(backup),
    phaseLines(backup),
    causeSection(causesOf(inspected)),
    ...settingSections(spec),
    status.validationErrors?.length ? section('Validation errors', status.validationErrors.map(plainLine)) : [],
    ...resultsSections(inspected.results, status),
    ...specSections(spec),
    ...statusSections(backup),
    operationLines(inspected, details),
    resourceListLines(inspected.resources),
    outcomeLines(inspected.outcomes),
    volumeLines(inspected, details),
    hookLines(inspected),
    deletionLines(inspected),
  ]);
}

function hookLines({ backup }: InspectedBackup): string[] {
  const { hookStatus } = backup.status ?? {};
  if (!hookStatus) return [];
  return fields([
    ['HooksAttempted', String(hookStatus.hooksAttempted ?? 0)],
    ['HooksFailed', String(hookStatus.hooksFailed ?? 0)],
  ]);
}
