import { isLabelKey, isLabelValue } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { parseKeyValues } from './parse-key-values.ts';
import { badFlag } from './refuse-flag.ts';

/** Reads `--labels`, by the API server's rules for labels. @throws AppError BAD_FLAG */
export function parseLabels(text: string): Record<string, string> {
  const labels = parseKeyValues('--labels', text);
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key)) throw badFlag(`--labels: ${quoted(key)} is not a label key`);
    if (!isLabelValue(value)) throw badFlag(`--labels: ${quoted(value)} is not a label value`);
  }
  return labels;
}

/** Reads `--annotations`; their keys follow the rules for labels, their values are free. @throws AppError BAD_FLAG */
export function parseAnnotations(text: string): Record<string, string> {
  const annotations = parseKeyValues('--annotations', text);
  for (const key of Object.keys(annotations))
    if (!isLabelKey(key)) throw badFlag(`--annotations: ${quoted(key)} is not an annotation key`);
  return annotations;
}
