export { applyResourceModifiers, type Modified } from './apply/apply-modifiers.ts';
export { type ModifiersToUse, resourceModifiersFor } from './choose-modifiers.ts';
export { parseResourceModifiers } from './parse/parse-modifiers.ts';
export type { ModifierRule, ResourceModifiers } from './resource-modifiers.ts';
