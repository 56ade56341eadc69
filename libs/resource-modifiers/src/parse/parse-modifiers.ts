import type { ConfigMap } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readList, readObject, readText, yamlProblem, yamlTree } from '@lateen/item-filters';
import { keyOf, keyText } from '@lateen/kube';
import type { ResourceModifiers } from '../resource-modifiers.ts';
import { checkedRule } from './check-rule.ts';
import { readRule } from './read-rule.ts';

/** A file of rules is a few kilobytes; every restore reads it. */
const charsMax = 256 * 1024;

const readFile = readObject({ version: readText, resourceModifierRules: readList(readRule) });

/**
 * What the ConfigMap says. A key that is not known is an error, since a rule that is spelled wrong would silently not hold.
 * @throws RESOURCE_MODIFIERS_UNREADABLE, RESOURCE_MODIFIERS_INVALID; the message is the whole text for `status.validationErrors`
 */
export function parseResourceModifiers(configMap: ConfigMap): ResourceModifiers {
  const name = keyText(keyOf(configMap));
  const file = failingAs('RESOURCE_MODIFIERS_UNREADABLE', `Error in parsing resource modifiers provided in`, name, () =>
    readFile(yamlTree(onlyText(configMap, name)), ''),
  );
  return failingAs('RESOURCE_MODIFIERS_INVALID', 'Validation error in resource modifiers provided in', name, () => {
    const { version = '', resourceModifierRules: rules = [] } = file;
    if (version.toLowerCase() !== 'v1') throw new Error(`unsupported resource modifier version ${version}`);
    if (rules.length === 0) throw new Error('resource modifier rules cannot be empty');
    return { rules: rules.map(checkedRule) };
  });
}

function failingAs<T>(code: string, text: string, name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new AppError(code, `${text} configmap ${name}: ${yamlProblem(error)}`, {
      cause: error,
      nextStep: 'Correct the ConfigMap; docs/restores.md describes it.',
    });
  }
}

function onlyText({ data, binaryData = {} }: ConfigMap, name: string): string {
  const [text, ...others] = Object.values(data ?? {});
  const isIllegal = text === undefined || others.length > 0 || Object.keys(binaryData).length > 0;
  if (isIllegal) throw new Error(`illegal resource modifiers ${name} configmap`);
  if (text.length > charsMax) throw new Error(`it is longer than ${charsMax} characters`);
  return text;
}
