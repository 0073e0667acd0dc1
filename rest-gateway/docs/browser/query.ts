/** A plugin of Swagger UI that shows the GraphQL query of an operation, which the static reference has below its parameters. */
import type { SwaggerPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

/** @param queries the queries by path */
export const showQueries =
  (queries: Record<string, string | undefined>): SwaggerPlugin =>
  () => ({
    wrapComponents: {
      parameters:
        (Parameters, { React: { createElement: element } }) =>
        properties => {
          const query = queries[properties.pathMethod[0]]
          const parameters = element(Parameters, properties)
          if (query === undefined) return parameters
          return element(
            'div',
            {},
            element(
              'details',
              { className: 'query' },
              element('summary', {}, 'GraphQL query'),
              element('pre', {}, element('code', {}, query)),
              element(
                'p',
                {},
                element('button', { type: 'button', className: 'btn', onClick: () => copy(query) }, 'Copy'),
                element('a', { href: `/explorer#query=${encodeURIComponent(query)}` }, 'Open in the explorer'),
              ),
            ),
            parameters,
          )
        },
    },
  })

const copy = (text: string): Promise<void> => navigator.clipboard.writeText(text)
