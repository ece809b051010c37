{# A generic test of dbt: rows that share these columns have at least l different values of the column that is tested. #}
{% test l_diverse(model, column_name, quasi, l) %}

select {{ quasi | join(", ") }}, count(distinct {{ column_name }}) as kinds
from {{ model }}
group by {{ quasi | join(", ") }}
having count(distinct {{ column_name }}) < {{ l }}

{% endtest %}
