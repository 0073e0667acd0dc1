/** An SVG that is drawn anew when its container changes its size. */
import { type RefObject, useEffect, useRef } from 'react'

interface Drawing {
  container: RefObject<HTMLDivElement | null>
  /** Null until the first drawing. */
  svg: RefObject<SVGSVGElement | null>
}

/** @param draw the same function as long as the drawing has not changed */
export function useDrawing(draw: (width: number, height: number) => SVGSVGElement): Drawing {
  const container = useRef<HTMLDivElement>(null)
  const svg = useRef<SVGSVGElement>(null)
  useEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = element
      // On narrow screens, another pane is shown.
      if (clientWidth === 0) return
      svg.current = draw(clientWidth, clientHeight)
      // Captions describe it, the table has the values, and the list of assets chooses them with the keyboard.
      svg.current.setAttribute('aria-hidden', 'true')
      element.replaceChildren(svg.current)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [draw])
  return { container, svg }
}
