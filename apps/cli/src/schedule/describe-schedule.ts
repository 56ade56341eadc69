import { annotations, type Schedule } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { settingSections, specSections } from '../backup/describe/spec-sections.ts';
import { boolText } from '../describe/filter-sections.ts';
import { metadataLines } from '../describe/metadata-section.ts';
import { fields, indented, page, section } from '../output/description.ts';
import { nextRun } from './next-run.ts';

const never = '<never>';

/** The whole description of a schedule, as text: the headings of Velero in its order (cli.md section 9), and its next run. */
export function describeSchedule(schedule: Schedule, nowMs: number): string {
  const { spec, status = {} } = schedule;
  const blocks = specSections(spec.template);
  return page([
    metadataLines(schedule),
    [`Phase:  ${status.phase || 'New'}`],
    [`Paused:  ${spec.paused === true}`],
    ...settingSections(spec.template),
    status.validationErrors?.length ? section('Validation errors', status.validationErrors.map(plainLine)) : [],
    [`Schedule:  ${plainLine(spec.schedule)}`],
    ['Backup Template:', ...indented(blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block])))],
    fields([
      ['Last Backup', status.lastBackup ?? never],
      ...(status.lastSkipped ? [['Last Skipped', status.lastSkipped] as const] : []),
      ['Next Backup', nextRun(schedule, nowMs) ?? never],
    ]),
    fields(keepingRows(schedule)),
  ]);
}

/** Rows that Velero does not show, or does not have. */
function keepingRows({ metadata, spec }: Schedule): [string, string][] {
  const noted = (key: string): string => plainLine(metadata.annotations?.[key] ?? '');
  const rows: [string, string][] = [
    ['Use Owner References In Backup', boolText(spec.useOwnerReferencesInBackup, 'false')],
    ['Skip Immediately', boolText(spec.skipImmediately)],
    ['Keep At Least', noted(annotations.keepAtLeast)],
    ['Jitter', noted(annotations.jitter)],
  ];
  return rows.filter(([, value]) => value !== '');
}
