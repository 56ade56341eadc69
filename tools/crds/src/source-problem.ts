import { AppError } from '@lateen/errors';
import ts from 'typescript';

/** An error for an interface that a CRD cannot express, or that the generator does not support. */
export function sourceProblem(node: ts.Node, message: string): AppError {
  const file = node.getSourceFile();
  const { line, character } = ts.getLineAndCharacterOfPosition(file, node.getStart(file));
  return new AppError('CRD_SOURCE', `${file.fileName}:${line + 1}:${character + 1}: ${message}`, {
    nextStep: 'Write the interface with what tools/crds/README.md lists, or teach the generator the new form.',
  });
}
