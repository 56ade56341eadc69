import { annotations, type Restore } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { failedVolumePolicies, parseClaimPolicies } from '@lateen/item-actions';
import { parseBoolean, parseDurationMs } from '@lateen/kernel';

/** The errors in annotations of a restore, as texts for `status.validationErrors`. Pure. */
export function annotationErrors({ metadata }: Pick<Restore, 'metadata'>): string[] {
  return Object.entries(problems).flatMap(([key, problemOf]) => {
    const text = metadata.annotations?.[key];
    const problem = text === undefined ? undefined : problemOf(text);
    return problem === undefined ? [] : [`annotation ${key}: ${problem}`];
  });
}

type ProblemOf = (text: string) => string | undefined;

/** The accepted values: any other word would have no effect, which its author cannot intend. */
const isTrueOrFalse: ProblemOf = (text) =>
  text === 'true' || text === 'false' ? undefined : `${quoted(text)} is not true or false`;

const problems: Readonly<Record<string, ProblemOf>> = {
  [annotations.existingVolumes]: (text) => {
    const read = parseClaimPolicies(text);
    return 'problem' in read ? read.problem : undefined;
  },
  [annotations.scaleWorkloads]: isTrueOrFalse,
  [annotations.keepOldData]: isTrueOrFalse,
  [annotations.onFailedPodVolume]: (text) =>
    failedVolumePolicies.some((each) => each === text)
      ? undefined
      : `${quoted(text)} is not one of ${failedVolumePolicies.join(', ')}`,
  [annotations.waitForData]: (text) =>
    parseBoolean(text) === undefined && !((parseDurationMs(text) ?? 0) > 0)
      ? `${quoted(text)} is not true, false or a duration`
      : undefined,
};
