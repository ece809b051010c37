{# A generic test of dbt: every combination of these columns is shared by at least k rows. Put it into tests/generic/. #}
{% test k_anonymous(model, quasi, k) %}

select {{ quasi | join(", ") }}, count(*) as look_alikes
from {{ model }}
group by {{ quasi | join(", ") }}
having count(*) < {{ k }}

{% endtest %}
