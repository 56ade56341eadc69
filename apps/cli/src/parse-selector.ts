import type { LabelSelector, LabelSelectorRequirement } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { isLabelKey, isLabelValue } from './parse-labels.ts';
import { badFlag } from './refuse-flag.ts';

/**
 * Reads a label selector as kubectl writes it: `a=b,c!=d,e in (x,y),f notin (z),g,!h`. Equalities become matchLabels, all else
 * matchExpressions, as the API has them. @throws AppError BAD_FLAG naming the part that is wrong
 */
export function parseSelector(flag: string, text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const part of splitTopLevel(text)) {
    const { key, operator, values } = parsePart(flag, part);
    const [only = ''] = values;
    if (operator === '=' && !Object.hasOwn(matchLabels, key)) matchLabels[key] = only;
    else if (operator === '=') matchExpressions.push({ key, operator: 'In', values });
    else matchExpressions.push({ key, operator, ...(values.length === 0 ? {} : { values }) });
  }
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

/** `a=b or c=d`: one selector each. @throws AppError BAD_FLAG */
export const parseOrSelectors = (flag: string, text: string): LabelSelector[] =>
  text.split(/\s+or\s+/).map((each) => parseSelector(flag, each));

/** Commas inside `in (a,b)` do not separate. */
const splitTopLevel = (text: string): string[] => text.split(/,(?![^(]*\))/).map((part) => part.trim());

interface Part {
  key: string;
  operator: '=' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values: string[];
}

const setForm = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const equalForm = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/;
const existsForm = /^(!?)\s*([^\s=!()]+)$/;

function parsePart(flag: string, part: string): Part {
  const read = readPart(part);
  if (read === undefined)
    throw badFlag(
      `${flag}: ${quoted(part)} is not a condition on labels`,
      "Write conditions as key=value, key!=value, 'key in (a,b)', 'key notin (a,b)', key or !key, separated by commas.",
    );
  if (!isLabelKey(read.key)) throw badFlag(`${flag}: ${quoted(read.key)} is not a label key`);
  for (const value of read.values)
    if (!isLabelValue(value)) throw badFlag(`${flag}: ${quoted(value)} is not a label value`);
  return read;
}

function readPart(part: string): Part | undefined {
  const [, setKey = '', inOrNot, list = ''] = setForm.exec(part) ?? [];
  if (inOrNot !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    return { key: setKey, operator: inOrNot === 'in' ? 'In' : 'NotIn', values };
  }
  const [, equalKey = '', sign, value = ''] = equalForm.exec(part) ?? [];
  if (sign !== undefined) return { key: equalKey, operator: sign === '!=' ? 'NotIn' : '=', values: [value] };
  const [, not, key] = existsForm.exec(part) ?? [];
  return key === undefined ? undefined : { key, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}
