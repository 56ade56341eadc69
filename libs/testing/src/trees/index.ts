export { describeTree } from './describe-tree.ts';
export { type TreeScriptOptions, treeScript } from './tree-script.ts';
