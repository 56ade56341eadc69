import { isObjectName, labelValueLengthMax } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { parseKeyValues } from './parse-key-values.ts';
import { badFlag } from './refuse-flag.ts';

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

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

export function isLabelKey(key: string): boolean {
  const [first = '', second, ...rest] = key.split('/');
  return rest.length === 0 && (second === undefined ? isPart(first) : isObjectName(first) && isPart(second));
}

export const isLabelValue = (value: string): boolean => value === '' || isPart(value);

const isPart = (text: string): boolean => text.length <= labelValueLengthMax && namePattern.test(text);
