import { isObjectName } from './object-name.ts';
import { labelValueLengthMax } from './valid-name.ts';

const partPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const isPart = (text: string): boolean => text.length <= labelValueLengthMax && partPattern.test(text);

/** `app`, `app.kubernetes.io/name`: whether the API server takes it as the key of a label or an annotation. */
export function isLabelKey(key: string): boolean {
  const [first = '', second, ...rest] = key.split('/');
  return rest.length === 0 && (second === undefined ? isPart(first) : isObjectName(first) && isPart(second));
}

export const isLabelValue = (value: string): boolean => value === '' || isPart(value);
